"""The names of ``import soulread as sr``, each imported when it is first used; see `soulread.NAMES`."""
