import Foundation

/// Looks for a secret in all forms in which it may leak.
enum Canary {
    /// The forms of the secret that are found in the text.
    static func forms(of secret: String, in text: String) -> [String] {
        let bytes = Array(secret.utf8)
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let base64 = base64Cores(bytes)
        let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
        let allPercent = bytes.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let lower = text.lowercased()
        var found: [String] = []
        if text.contains(secret) { found.append("raw") }
        if lower.contains(hex) { found.append("hex") }
        if base64.contains(where: { text.contains($0) }) { found.append("base64") }
        let urlSafe = base64.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
        if urlSafe.contains(where: { text.contains($0) }) { found.append("base64url") }
        if text.contains(percent), percent != secret { found.append("percent") }
        if lower.contains(allPercent) { found.append("percent of every byte") }
        return found
    }

    /// The parts of the secret's base64 that are independent of the bytes around it.
    private static func base64Cores(_ bytes: [UInt8]) -> [String] {
        (0..<3).map { shift in
            let text = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString()
            // The first group mixes with the bytes before, and the last one with the bytes after.
            return String(text.dropFirst(shift == 0 ? 0 : 4).dropLast(4))
        }.filter { $0.count >= 8 }
    }
}
