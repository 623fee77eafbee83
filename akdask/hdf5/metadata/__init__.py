"""What files hold, found without reading data: inspection, templates of alike files, surveys of foreign ones."""
