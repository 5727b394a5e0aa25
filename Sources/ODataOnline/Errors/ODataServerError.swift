import HttpConvFormats
import HttpConversation

/// An error as the service reports it (OData JSON 4.01 §21.1; `error` of OData 2.0). Its texts are sanitised.
public struct ODataServerError: Hashable, Sendable {
    /// A part of the error.
    public struct Detail: Hashable, Sendable {
        /// The service's own code, for programs.
        public let code: String
        /// The message for people.
        public let message: String
        /// The target of the error, such as a property.
        public let target: String?
        /// The severity if the service gives one, such as `error` or `warning`.
        public let severity: String?
    }

    /// The service's own code, for programs.
    public let code: String
    /// The message for people.
    public let message: String
    /// The target of the error, such as a property.
    public let target: String?
    /// The single errors behind this one, also from the inner details of OData 2.0 services.
    public let details: [Detail]
    /// Details of the service's internals as JSON (`innererror`), for debugging only.
    public let innerError: String?

    private static let maximumDetails = 100

    init(code: String, message: String, target: String? = nil, details: [Detail] = [], innerError: String? = nil) {
        self.code = TerminalText.sanitise(code)
        self.message = TerminalText.sanitise(message, limit: 2000)
        self.target = target.map { TerminalText.sanitise($0) }
        self.details = details
        self.innerError = innerError.map { TerminalText.sanitise($0, limit: 8000) }
    }

    /// Reads `{"error": {"code": …, "message": …}}`; nil for anything else.
    init?(json bytes: [UInt8]) {
        guard let document = try? JSONDocument(bytes),
            let error = document.root["error"] ?? document.root["odata.error"],
            error.kind == .object
        else { return nil }
        let inner = error["innererror"]
        let details = error["details"] ?? inner?["errordetails"]
        self.init(
            code: error["code"]?.scalar ?? "", message: Self.message(error) ?? "", target: error["target"]?.text,
            details: details?.elements.prefix(Self.maximumDetails).map(Self.detail) ?? [],
            innerError: inner.map { String(decoding: $0.source, as: UTF8.self) })
    }

    /// The message: a text, or in OData 2.0 an object with language and text.
    private static func message(_ error: JSONElement) -> String? {
        error["message"]?.text ?? error["message"]?["value"]?.text
    }

    private static func detail(_ value: JSONElement) -> Detail {
        Detail(
            code: TerminalText.sanitise(value["code"]?.scalar ?? ""),
            message: TerminalText.sanitise(message(value) ?? "", limit: 2000),
            target: (value["target"] ?? value["propertyref"])?.text.map { TerminalText.sanitise($0) },
            severity: value["severity"]?.text.map { TerminalText.sanitise($0) })
    }

    /// Reads `<error><code>…</code><message>…</message></error>`; nil for anything else.
    init?(xml bytes: [UInt8]) {
        let reader = XMLErrorReader()
        guard (try? XMLEventReader.read(bytes, maximumDepth: 32, maximumElements: 1000, handler: reader)) != nil,
            reader.isError
        else { return nil }
        self.init(
            code: reader.texts["code"] ?? "", message: reader.texts["message"] ?? "",
            innerError: reader.inner.isEmpty ? nil : reader.inner)
    }
}

extension ODataServerError: CustomStringConvertible {
    /// The message, with the code if there is one.
    public var description: String { code.isEmpty ? message : "\(message) (\(code))" }
}

/// Reads an error in XML.
private final class XMLErrorReader: XMLEventHandler {
    private(set) var isError = false
    private(set) var texts: [String: String] = [:]
    private(set) var inner = ""
    private var open: [String] = []

    func started(_ element: XMLElementStart) {
        if open.isEmpty { isError = element.name == "error" }
        open.append(element.name)
    }

    func ended() { open.removeLast() }

    func read(_ text: String) {
        if open.count == 2 {
            texts[open[1], default: ""] += text
        } else if open.count > 2, open[1] == "innererror" {
            inner += text
        }
    }
}
