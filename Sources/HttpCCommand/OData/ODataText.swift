import HttpC
import HttpCTerminal
import HttpConvPlatform
import ODataOnline

/// Rows as text: for cells of a table, and as JSON.
enum ODataText {
    /// Text for people; escape sequences and line ends are visible.
    static func cell(_ value: ODataValue?, limit: Int = 40) -> String {
        let text =
            switch value {
            case nil, .null, .deferred: ""
            case .collection(let values): values.isEmpty ? "" : "[\(values.count)]"
            case .complex(let row):
                row.values.map { cell($0, limit: limit) }.filter { !$0.isEmpty }.joined(separator: ", ")
            case let value?: plain(value)
            }
        return TerminalText.sanitise(text, limit: limit)
    }

    /// A property's cell. It says whether the service has more elements than it sent.
    static func cell(_ name: String, of row: ODataRow) -> String {
        guard let value = row[name], nextLink(of: name, in: row) != nil else { return cell(row[name]) }
        return "[\(value.elements?.count ?? 0), and more]"
    }

    /// The link to the rest of an expanded collection.
    private static func nextLink(of name: String, in row: ODataRow) -> String? {
        let links = row.annotations.properties
        return links.isEmpty ? nil : links["\(name)@odata.nextLink"]
    }

    /// A simple value as text, without quotes.
    private static func plain(_ value: ODataValue) -> String {
        switch value {
        case .null, .complex, .collection, .deferred: ""
        case .boolean(let flag): "\(flag)"
        case .integer(let number), .int64(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .double(let number): number.isFinite ? "\(number)" : number.isNaN ? "NaN" : number < 0 ? "-INF" : "INF"
        case .single(let number): number.isFinite ? "\(number)" : number.isNaN ? "NaN" : number < 0 ? "-INF" : "INF"
        case .string(let text): text
        case .guid(let guid): guid.uuidString.lowercased()
        case .binary(let bytes): bytes.base64EncodedString()
        case .dateTime(let time): "\(time)"
        case .date(let date): "\(date)"
        case .timeOfDay(let time): "\(time)"
        case .duration(let duration): iso8601(duration)
        case .enumeration(let member): member.member
        }
    }

    private static func iso8601(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let isNegative = seconds < 0 || attoseconds < 0
        let fraction = String("\(attoseconds.magnitude + 1_000_000_000_000_000_000)".dropFirst())
        let digits = String(fraction.reversed().drop { $0 == "0" }.reversed())
        return (isNegative ? "-" : "") + "PT\(seconds.magnitude)" + (digits.isEmpty ? "" : ".\(digits)") + "S"
    }

    /// A row as one line of JSON, with its version first if there is one, and links to the rest of expanded
    /// collections. Numbers keep all their digits.
    static func json(_ row: ODataRow, _ version: ODataVersion) -> String {
        var members = row.etag.map { ["\"@odata.etag\":\(TerminalJSON.quoted($0))"] } ?? []
        for (name, value) in zip(row.names, row.values) {
            // A property that was not expanded has no value.
            if case .deferred = value { continue }
            if let link = nextLink(of: name, in: row) {
                members.append("\(TerminalJSON.quoted(name + "@odata.nextLink")):\(TerminalJSON.quoted(link))")
            }
            members.append("\(TerminalJSON.quoted(name)):\(json(value, version))")
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// A value as JSON, in the notation of its version.
    static func json(_ value: ODataValue, _ version: ODataVersion) -> String {
        switch value {
        case .null, .deferred: "null"
        case .boolean, .integer, .int64, .decimal: plain(value)
        case .double(let number) where number.isFinite: "\(number)"
        case .single(let number) where number.isFinite: "\(number)"
        case .complex(let row): json(row, version)
        case .binary(let bytes) where version == .v4:
            // OData JSON 4.01 §7.1 demands base64url.
            TerminalJSON.quoted(
                bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_"))
        case .collection(let values): "[\(values.map { json($0, version) }.joined(separator: ","))]"
        default: TerminalJSON.quoted(plain(value))
        }
    }
}
