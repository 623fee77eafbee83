"""Operations on text beyond searches: regular expressions, fields, characters and encodings."""
