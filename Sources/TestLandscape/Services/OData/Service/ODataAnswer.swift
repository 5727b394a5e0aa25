/// The answer of a service.
struct ODataAnswer: Sendable {
    var status: Int
    var fields: [HeaderField] = []
    var body: [UInt8] = []
    /// Whether it is a page of rows.
    var isPage = false

    init(_ status: Int, _ text: String = "", type: String? = nil, fields: [HeaderField] = []) {
        self.status = status
        self.fields = (type.map { [HeaderField(name: "Content-Type", value: $0)] } ?? []) + fields
        body = Array(text.utf8)
    }

    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// An error in the requested format.
    init(_ failure: ODataFailure, _ version: ODataVersion, _ format: ODataFormat?) {
        let (code, message) = (ODataText.quoted(failure.code), ODataText.quoted(failure.message))
        let inner = "\"transactionid\":\"0123456789ABCDEF\",\"timestamp\":\"20260101120000.0000000\""
        let fields = failure.tag.map { [HeaderField(name: "ETag", value: $0)] } ?? []
        let target = failure.target.map { ",\"target\":\(ODataText.quoted($0))" } ?? ""
        switch (version, format?.kind ?? .light) {
        case (.v2, .atom):
            let text =
                "<?xml version=\"1.0\" encoding=\"utf-8\"?><error xmlns=\"\(MobileEntity.metadata)\"><code>"
                + "\(Markup.text(failure.code))</code><message xml:lang=\"en\">\(Markup.text(failure.message))</message>"
                + "<innererror><transactionid>0123456789ABCDEF</transactionid><errordetails>"
                + failure.details.map {
                    "<errordetail><message>\(Markup.text($0.message))</message><target>\(Markup.text($0.target))"
                        + "</target></errordetail>"
                }.joined() + "</errordetails></innererror></error>"
            self.init(failure.status, text, type: "application/xml;charset=utf-8", fields: fields)
        case (.v2, _):
            let details = failure.details.map {
                "{\"code\":\(code),\"message\":\(ODataText.quoted($0.message)),\"severity\":\"error\",\"target\":"
                    + "\(ODataText.quoted($0.target))}"
            }
            self.init(
                failure.status,
                "{\"error\":{\"code\":\(code),\"message\":{\"lang\":\"en\",\"value\":\(message)},\"innererror\":{"
                    + "\(inner),\"errordetails\":[\(details.joined(separator: ","))]}}}",
                type: "application/json;charset=utf-8", fields: fields)
        case (.v4, _):
            let details = failure.details.map {
                "{\"code\":\(code),\"message\":\(ODataText.quoted($0.message)),\"target\":\(ODataText.quoted($0.target))}"
            }
            self.init(
                failure.status,
                "{\"error\":{\"code\":\(code),\"message\":\(message)\(target),\"details\":["
                    + "\(details.joined(separator: ","))],\"innererror\":{\(inner)}}}",
                type: "application/json;odata.metadata=minimal", fields: fields)
        }
    }
}
