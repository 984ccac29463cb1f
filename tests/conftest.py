"""Settings shared by all tests."""

from hypothesis import settings

settings.register_profile("soulread", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("soulread")
