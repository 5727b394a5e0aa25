package import HTTPTypes
package import HttpConvFormats
import HttpConversation

extension HTMLPage {
    /// The reason why a browser shows no forms of a response, as the end of a sentence; nil if it shows its page.
    ///
    /// Only HTML has forms, and no form of a file that is saved can be sent. Without a type, the bytes tell.
    package static func obstacle(to forms: some Collection<UInt8>, fields: HTTPFields) -> String? {
        if isFile(fields) { return "it is a file to be saved" }
        // A server may send several types, and browsers do not agree which one counts.
        let types = fields[values: .contentType].flatMap { $0.split(ascii: ",") }.map { String($0.trimmingSpaces) }
        guard types.contains(where: { !$0.isEmpty }) else {
            let isFixed = fields[.xContentTypeOptions]?.asciiLowercased.contains(bytesOf: "nosniff") == true
            return !isFixed && isSniffed(forms) ? nil : "it has no type, and does not begin like HTML"
        }
        // A text without a slash is not a type, but the rest of a parameter, such as a second charset.
        let others = types.filter { PageType($0) == nil }
        guard others.count < types.count, !others.contains(where: { $0.contains(ascii: "/") }) else {
            return "its type is \(TerminalText.sanitise(types.joined(separator: ", "), limit: 60))"
        }
        return nil
    }

    /// Whether a browser saves a response as a file, and does not show it.
    package static func isFile(_ fields: HTTPFields) -> Bool {
        fields[values: .contentDisposition].contains(where: isSaved)
    }

    /// Whether a value of `Content-Disposition` is for a file to be saved (RFC 6266 §4.2): an unknown type is.
    private static func isSaved(_ value: String) -> Bool {
        let type = value.prefix(upToASCII: ";").trimmingSpaces.asciiLowercased
        return !type.isEmpty && type != "inline" && !type.contains(bytesOf: "=")
    }
}
