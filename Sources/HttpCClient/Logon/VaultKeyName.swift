import Crypto
import HttpC
import HttpConvFormats
import HttpConvPlatform

/// The name of an unlocked vault's key. It depends on the directory itself rather than its path, and does not reveal
/// the path.
enum VaultKeyName {
    /// The name; nil if there is no such directory.
    static func of(_ directory: URL) -> String? {
        var status = stat()
        guard lstat(directory.path(percentEncoded: false), &status) == 0 else { return nil }
        let place = Data("httpc \(status.st_dev) \(status.st_ino)".utf8)
        return "httpc:vault:\(Hexadecimal.text(SHA256.hash(data: place)))"
    }
}
