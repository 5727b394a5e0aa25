import HttpConversation

/// Writes the value of a Digest `Authorization` field (RFC 7616 §3.4).
struct DigestHeader {
    private(set) var value = "Digest "
    private var isFirst = true

    /// Adds a quoted string; escapes quotation marks and backslashes. Text beyond ASCII is sent as UTF-8 bytes.
    mutating func add(_ name: String, quoted text: String) {
        add(name, "\"\(text.replacing(ascii: ["\\": "\\\\", "\"": "\\\""]))\"")
    }

    /// Adds a token, which is not quoted.
    mutating func add(_ name: String, _ token: String) {
        value += (isFirst ? "" : ", ") + "\(name)=\(token)"
        isFirst = false
    }
}
