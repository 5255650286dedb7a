"""Models of applications, one file each."""
