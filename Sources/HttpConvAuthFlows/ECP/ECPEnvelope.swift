import HttpConvFormats

/// A SOAP 1.1 envelope with one message.
///
/// It is written again from its parsed form, so its recipient gets what was checked here. Only the header changes. The
/// body keeps its canonical form, so signatures stay valid.
struct ECPEnvelope: Sendable {
    /// A header block.
    struct Block: Sendable {
        let element: XMLElementStart
        fileprivate(set) var text = ""

        /// Whether the recipient must understand the block (SOAP 1.1 §4.2.3). Lasso, the library of mod_auth_mellon,
        /// writes `true`.
        var mustBeUnderstood: Bool { !["0", "false", nil].contains(element["mustUnderstand", soap]) }

        /// Whether the block is for the next recipient, which must understand it (SOAP 1.1 §4.2.2). Lasso writes an
        /// actor without a namespace.
        var isForUs: Bool { mustBeUnderstood && (element["actor", soap] ?? element["actor"]) == nextActor }
    }

    static let soap = "http://schemas.xmlsoap.org/soap/envelope/"
    static let saml = "urn:oasis:names:tc:SAML:2.0:protocol"
    static let nextActor = "http://schemas.xmlsoap.org/soap/actor/next"
    /// The maximum number of bytes.
    static let limit = 1 << 20

    /// The blocks of the header.
    let blocks: [Block]
    /// The element in the body.
    let message: XMLElementStart
    /// The status codes of a SAML response, from the outer to the inner one.
    let statusCodes: [String]
    /// The text of a SAML status or of a SOAP fault. A peer's text.
    let explanation: String
    private let start: String
    private let end: String
    private let body: String

    /// Reads an envelope.
    init(_ bytes: [UInt8]) throws(FormatFailure) {
        guard bytes.count <= Self.limit else { throw FormatFailure("it is too large", isTooLarge: true) }
        let reader = EnvelopeReader()
        try XMLEventReader.read(bytes, maximumDepth: 64, maximumElements: 10_000, handler: reader)
        guard let message = reader.message else { throw FormatFailure("its body has no message") }
        blocks = reader.blocks
        self.message = message
        statusCodes = reader.statusCodes
        explanation = reader.explanation
        start = reader.start
        end = reader.end
        body = reader.body
    }

    /// The only block with this name; nil without one.
    func block(_ name: String, _ namespace: String) throws(FormatFailure) -> Block? {
        let found = blocks.filter { $0.element.isNamed(name, namespace) }
        guard found.count < 2 else { throw FormatFailure("its header has several \(name) blocks") }
        return found.first
    }

    /// Refuses blocks that the recipient must understand, except known ones.
    func refuseUnknownBlocks(except known: [(name: String, namespace: String)]) throws(FormatFailure) {
        for block in blocks where block.mustBeUnderstood {
            guard known.contains(where: { block.element.isNamed($0.name, $0.namespace) }) else {
                throw FormatFailure("its header has an unknown block that must be understood")
            }
        }
    }

    /// The envelope with another header.
    ///
    /// - Parameter header: the elements of the header, which declare their namespaces
    func written(header: [String] = []) -> [UInt8] {
        let header =
            header.isEmpty ? "" : "<Header xmlns=\"\(Self.soap)\">\(header.joined())</Header>"
        return Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(start)\(header)\(body)\(end)".utf8)
    }

    /// A header block for the next recipient.
    static func block(
        _ name: String, _ namespace: String, _ attributes: [(String, String)] = [], text: String = ""
    ) -> String {
        let attributes = attributes.map { " \($0.0)=\"\(XMLText.attribute($0.1))\"" }.joined()
        return "<n:\(name) xmlns:n=\"\(namespace)\" xmlns:s=\"\(soap)\" s:mustUnderstand=\"1\" s:actor=\"\(nextActor)\""
            + "\(attributes)>\(XMLText.escaped(text))</n:\(name)>"
    }

    /// An envelope with a fault, in place of an answer (SOAP 1.1 §4.4).
    static func fault(_ text: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <s:Envelope xmlns:s="\(soap)"><s:Body><s:Fault><faultcode>s:Server</faultcode>\
            <faultstring>\(XMLText.escaped(text))</faultstring></s:Fault></s:Body></s:Envelope>
            """.utf8)
    }
}

/// Collects the parts of an envelope.
private final class EnvelopeReader: XMLEventHandler {
    private var path: [XMLElementStart] = []
    private var isInBody = false
    private var hasHeader = false
    private(set) var blocks: [ECPEnvelope.Block] = []
    private(set) var message: XMLElementStart?
    private(set) var statusCodes: [String] = []
    private(set) var explanation = ""
    private(set) var start = ""
    private(set) var end = ""
    private(set) var body = ""

    func started(_ element: XMLElementStart) throws(FormatFailure) {
        switch path.count {
        case 0:
            guard element.isNamed("Envelope", ECPEnvelope.soap) else {
                throw FormatFailure("it is not a SOAP envelope")
            }
            start = XMLText.tag(element)
            end = XMLText.endTag(element)
        case 1: try startPart(element)
        case 2 where isInBody:
            guard message == nil else { throw FormatFailure("its body has several messages") }
            message = element
        case 2: blocks.append(ECPEnvelope.Block(element: element))
        default:
            let isStatus = path[3...].first?.isNamed("Status", ECPEnvelope.saml) ?? false
            if isInBody, isStatus, element.isNamed("StatusCode", ECPEnvelope.saml) {
                statusCodes.append(element["Value"] ?? "")
            }
        }
        if isInBody { body += XMLText.tag(element) }
        path.append(element)
    }

    /// Starts the header, or the body after it.
    private func startPart(_ element: XMLElementStart) throws(FormatFailure) {
        if element.isNamed("Header", ECPEnvelope.soap), !hasHeader, body.isEmpty {
            hasHeader = true
        } else if element.isNamed("Body", ECPEnvelope.soap), body.isEmpty {
            isInBody = true
        } else {
            throw FormatFailure("it needs one header at most and then one body")
        }
    }

    func read(_ text: String) throws(FormatFailure) {
        if !isInBody {
            if path.count == 3 { blocks[blocks.count - 1].text += text }
            return
        }
        body += XMLText.escaped(text)
        guard let element = path.last else { return }
        let isFault = path.count == 4 && element.isNamed("faultstring", "")
        let isStatus = path.count == 5 && element.isNamed("StatusMessage", ECPEnvelope.saml)
        if isFault || isStatus { explanation += text }
    }

    func ended() throws(FormatFailure) {
        guard let element = path.popLast() else { return }
        if isInBody { body += XMLText.endTag(element) }
        if path.count == 1 { isInBody = false }
    }
}
