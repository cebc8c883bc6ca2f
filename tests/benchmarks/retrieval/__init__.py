"""What chunks are good for: whether what is asked for is found within so many retrieved tokens."""
