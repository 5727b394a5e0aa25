import Foundation

/// Base64 with the URL alphabet and without padding (RFC 7515, 2).
enum Base64URL {
    static func string(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(bytes).base64EncodedString()
        return String(
            text.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}
