"""Authoring: from solutions/ to exercises/ to the book. Needs the extras ``grade`` and ``book``."""
