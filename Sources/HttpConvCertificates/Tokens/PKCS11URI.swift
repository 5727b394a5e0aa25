import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem
import HttpConversation

/// The name of a certificate on a PKCS#11 token, such as `pkcs11:token=work;object=alice` (RFC 7512).
///
/// Attributes of the path narrow the search: `token`, `manufacturer`, `model`, `serial`, `object` (a label) and `id`;
/// those of libraries and slots are not supported. In the query, `module-path` names a module (by default p11-kit's,
/// which knows the system's modules), and `pin-value` or `pin-source` (a `file:` URI or a path) gives the PIN. Only the
/// owner may be able to read the file of a `pin-source`. Its first line is the PIN.
public struct PKCS11URI: Sendable {
    /// The attributes of the path that are supported.
    enum Attribute: String, CaseIterable, Sendable { case token, manufacturer, model, serial, object, id, type }

    let attributes: [Attribute: [UInt8]]
    /// The path of the module; nil: p11-kit's.
    let modulePath: String?
    /// The PIN in the URI, or the path of a file with it.
    let pin: Redacted<String>?
    let pinFile: String?

    /// Whether a text is such a name, by its scheme.
    public static func isURI(_ text: String) -> Bool { text.prefix(7).lowercased() == "pkcs11:" }

    /// Reads a name.
    ///
    /// - Throws: `CertificateError.Code.invalidName`; the message repeats no value, because one may be a PIN
    public init(_ text: String) throws(CertificateError) {
        guard Self.isURI(text), text.utf8.count <= 4096 else { throw Self.invalid("it must begin with pkcs11:") }
        let parts = text.dropFirst(7).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var attributes: [Attribute: [UInt8]] = [:]
        for (name, value) in try Self.pairs(parts[0], separator: ";") {
            guard let attribute = Attribute(rawValue: name) else {
                throw Self.invalid("\(TerminalText.sanitise(name, limit: 30)) is not an attribute that is supported")
            }
            guard attributes.updateValue(value, forKey: attribute) == nil else {
                throw Self.invalid("\(name) is there twice")
            }
        }
        if let type = attributes.removeValue(forKey: .type), type != Array("cert".utf8), type != Array("private".utf8) {
            throw Self.invalid("its type must be cert or private")
        }
        self.attributes = attributes
        var query: [String: String] = [:]
        for (name, value) in parts.count == 2 ? try Self.pairs(parts[1], separator: "&") : [] {
            guard let value = String(bytes: value, encoding: .utf8), !value.utf8.contains(0),
                query.updateValue(value, forKey: name) == nil
            else { throw Self.invalid("its query is damaged") }
        }
        modulePath = query.removeValue(forKey: "module-path")
        pin = query.removeValue(forKey: "pin-value").map { Redacted($0) }
        let source = query.removeValue(forKey: "pin-source")
        pinFile = source.map { $0.hasPrefix("file:") ? URL(string: $0)?.path(percentEncoded: false) ?? "" : $0 }
        if let pinFile, !pinFile.hasPrefix("/") { throw Self.invalid("its pin-source is not the path of a file") }
        if let modulePath, !modulePath.hasPrefix("/") { throw Self.invalid("its module-path is not absolute") }
        guard pin == nil || pinFile == nil else { throw Self.invalid("it has both pin-value and pin-source") }
        if let other = query.keys.sorted().first(where: { !$0.hasPrefix("x-") }) {
            throw Self.invalid("\(TerminalText.sanitise(other, limit: 30)) is not an attribute that is supported")
        }
    }

    private static func pairs(
        _ text: Substring, separator: Character
    ) throws(CertificateError) -> [(name: String, value: [UInt8])] {
        var pairs: [(String, [UInt8])] = []
        for part in text.split(separator: separator) {
            guard let equals = part.firstIndex(of: "="), let value = decoded(part[part.index(after: equals)...])
            else { throw invalid("an attribute has no value, or a damaged one") }
            pairs.append((String(part[..<equals]), value))
        }
        return pairs
    }

    /// Decodes percent-encoded bytes, which need not be UTF-8. Returns nil for a percent sign without two digits.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(\.hexDigit), let low = rest.popFirst().flatMap(\.hexDigit) else {
                return nil
            }
            result.append(high << 4 | low)
        }
        return result
    }

    private static func invalid(_ why: String) -> CertificateError {
        CertificateError(.invalidName, "The name of the certificate on a token (pkcs11:…) cannot be used: \(why).")
    }

    /// Whether the name has a PIN, or the path of a file with it.
    var hasPIN: Bool { pin != nil || pinFile != nil }

    /// The PIN in the name or its file. Returns nil if it has none.
    func givenPIN() throws(CertificateError) -> Redacted<String>? {
        guard let pinFile else { return pin }
        let descriptor = open(pinFile, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0,
            status.st_mode & S_IFMT != S_IFREG || status.st_size <= Self.longestPINFile
        else { throw Self.unreadablePIN }
        guard status.st_mode & S_IFMT != S_IFREG || status.st_mode & 0o077 == 0 else {
            throw CertificateError(
                .unreadable,
                "Others can read the pin-source of the certificate on a token. Run: chmod 600 \(TerminalText.sanitise(pinFile))"
            )
        }
        guard let bytes = SystemCalls.readToEnd(descriptor, atMost: Self.longestPINFile) else {
            throw Self.unreadablePIN
        }
        return Redacted(String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self))
    }

    private static let longestPINFile = 4096
    private static let unreadablePIN = CertificateError(
        .unreadable, "The pin-source of the certificate on a token cannot be read.")

    /// Whether a token has the attributes of the path.
    func matches(_ token: PKCS11Token) -> Bool {
        let known: [(Attribute, String)] = [
            (.token, token.label), (.manufacturer, token.manufacturer), (.model, token.model), (.serial, token.serial),
        ]
        return known.allSatisfy { attribute, text in attributes[attribute].map { $0 == Array(text.utf8) } ?? true }
    }
}

extension PKCS11URI: CustomStringConvertible, CustomReflectable {
    /// The attributes of the path, without the query.
    public var description: String {
        let parts = attributes.sorted { $0.key.rawValue < $1.key.rawValue }.map { attribute, value in
            let text =
                attribute == .id
                ? Hexadecimal.percentEncoded(value) { _ in false } : String(decoding: value, as: UTF8.self)
            return "\(attribute)=\(TerminalText.sanitise(text, limit: 60))"
        }
        return "pkcs11:" + parts.joined(separator: ";")
    }
    public var customMirror: Mirror { Mirror(self, children: ["uri": description]) }
}
