import Crypto
import Foundation
import HttpC

/// What the key of an unlocked vault is called: by its directory itself, not by one of the paths that lead there. Nobody
/// learns from it where that is.
enum VaultKeyName {
    /// Nil where there is no such directory.
    static func of(_ directory: URL) -> String? {
        var status = stat()
        guard lstat(directory.path(percentEncoded: false), &status) == 0 else { return nil }
        let place = Data("httpc \(status.st_dev) \(status.st_ino)".utf8)
        return "httpc:vault:\(Hexadecimal.text(SHA256.hash(data: place)))"
    }
}
