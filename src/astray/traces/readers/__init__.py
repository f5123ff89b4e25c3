"""Transcripts of other harnesses, read into astray's tables."""
