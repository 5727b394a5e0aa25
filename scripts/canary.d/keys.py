"""Keys of clients: made, and added to a search."""
import subprocess


def make_key(path, *options):
    """A private key in PEM."""
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(path),
                    *options], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    path.chmod(0o600)
    return path


def add_key(finder, name, path):
    """Adds the lines of a private key to the search. Its first characters are left out, because all keys begin with them."""
    key = path.read_text().split("PRIVATE KEY-----")[1].splitlines()[1:-1]
    for number, line in enumerate(key):
        finder.needles[f"{name}: line {number}"] = line[12 if number == 0 else 0:].lower()
