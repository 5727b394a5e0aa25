import Crypto
import Foundation

/// The Digest of RFC 2069, made by the test.
enum LegacyDigest {
    static func field(nonce: String, uri: String) -> String {
        func md5(_ text: String) -> String {
            Insecure.MD5.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
        }
        let response = md5("\(md5("alice:digest-legacy:wonderland")):\(nonce):\(md5("GET:\(uri)"))")
        return "Authorization: Digest username=\"alice\", realm=\"digest-legacy\", nonce=\"\(nonce)\", "
            + "uri=\"\(uri)\", opaque=\"landscape\", response=\"\(response)\""
    }
}
