"""Files on disk: written whole, sealed with a checksum, and kept in a cache under a lock."""
