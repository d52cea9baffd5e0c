"""Folders of packs from elsewhere: git revisions, archives, wheels and URLs."""
