import Foundation

/// Searches files and texts for a secret: raw, in hexadecimal digits, and in base64 at all three alignments.
struct LeakSearch {
    private let forms: [Data]

    init(for secret: [UInt8]) {
        let hex = secret.map { String(format: "%02x", $0) }.joined()
        var forms = [Data(secret), Data(hex.utf8), Data(hex.uppercased().utf8)]
        for shift in 0..<3 {
            // Bytes around the secret change only the digits at both ends.
            let text = Data([UInt8](repeating: 0, count: shift) + secret).base64EncodedString()
            let inner = text.replacing("=", with: "").dropFirst(shift == 0 ? 0 : shift + 1).dropLast(1)
            forms.append(Data(inner.utf8))
            forms.append(Data(inner.replacing("+", with: "-").replacing("/", with: "_").utf8))
        }
        self.forms = forms
    }

    func isFound(in data: Data) -> Bool { forms.contains { data.range(of: $0) != nil } }

    func isFound(in text: String) -> Bool { isFound(in: Data(text.utf8)) }

    func isFound(below directory: URL) throws -> Bool {
        try FileManager.default.subpathsOfDirectory(atPath: directory.path).contains {
            isFound(in: Data($0.utf8))
                || isFound(in: FileManager.default.contents(atPath: directory.path + "/" + $0) ?? Data())
        }
    }
}
