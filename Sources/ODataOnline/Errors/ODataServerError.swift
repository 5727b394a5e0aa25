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
    /// Details of the service's internals (`innererror`), for debugging only: JSON, or the names and texts of an answer
    /// in XML.
    public let innerError: String?

    private static let maximumDetails = 100

    init(code: String, message: String, target: String?, details: [Detail], innerError: String?) {
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

    private static func detail(_ texts: [String: String]) -> Detail {
        Detail(
            code: TerminalText.sanitise(texts["code"] ?? ""),
            message: TerminalText.sanitise(texts["message"] ?? "", limit: 2000),
            target: (texts["target"] ?? texts["propertyref"]).map { TerminalText.sanitise($0) },
            severity: texts["severity"].map { TerminalText.sanitise($0) })
    }

    /// Reads `<error><code>…</code><message>…</message></error>`; nil for anything else.
    init?(xml bytes: [UInt8]) {
        let reader = XMLErrorReader()
        guard (try? XMLEventReader.read(bytes, maximumDepth: 32, maximumElements: 1000, handler: reader)) != nil,
            reader.isError
        else { return nil }
        self.init(
            code: reader.texts["code"] ?? "", message: reader.texts["message"] ?? "", target: reader.texts["target"],
            details: reader.details.prefix(Self.maximumDetails).map(Self.detail),
            innerError: reader.inner.isEmpty ? nil : reader.inner.joined(separator: "; "))
    }
}

extension ODataServerError: CustomStringConvertible {
    /// The message, with the code if there is one.
    public var description: String { code.isEmpty ? message : "\(message) (\(code))" }
}

/// Reads an error in XML.
private final class XMLErrorReader: XMLEventHandler {
    private(set) var isError = false
    /// The texts of the error itself.
    private(set) var texts: [String: String] = [:]
    /// The texts of each detail.
    private(set) var details: [[String: String]] = []
    /// The names and texts of the inner error's elements, in their order.
    private(set) var inner: [String] = []
    private var open: [String] = []
    private var text = ""

    func started(_ element: XMLElementStart) {
        if open.isEmpty { isError = element.name == "error" }
        open.append(element.name)
        text = ""
        if isDetail { details.append([:]) }
    }

    func ended() {
        let name = open.removeLast()
        let content = text
        text = ""
        guard content.utf8.contains(where: { $0 > 0x20 }) else { return }
        if open.count == 1 { texts[name, default: ""] += content }
        if isDetail { details[details.count - 1][name] = content }
        if open.count > 1, open[1] == "innererror" { inner.append("\(name): \(content)") }
    }

    func read(_ text: String) { self.text += text }

    /// Whether the innermost element is a detail: `errordetails/errordetail` of OData 2.0, `details/detail` of 4.0.
    private var isDetail: Bool {
        let (list, name) = (open.dropLast().last, open.last)
        return list == "errordetails" && name == "errordetail" || list == "details" && name == "detail"
    }
}
