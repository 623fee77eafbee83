"""The commands on sets of files: `ls`, `info`, `head`, `validate`, `convert`, `repack`."""
