"""Compactions of every platform: what is lost, and what memd gives back."""
