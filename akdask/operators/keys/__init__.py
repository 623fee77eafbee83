"""Keys of groups, sorts and joins: words, hashes, codes of strings, and slots."""
