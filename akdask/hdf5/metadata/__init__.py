"""What files hold, found without reading data: inspection, templates of similar files, metadata of any file."""
