import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// A connection in verbose JSON or Atom (OData 2.0).
struct MobileEntity {
    static let data = "http://schemas.microsoft.com/ado/2007/08/dataservices"
    static let metadata = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
    private static let related = "http://schemas.microsoft.com/ado/2007/08/dataservices/related/"

    let uri: String
    var properties: [String: MobileValue]
    var capabilities: [[String: MobileValue]] = []

    // MARK: Writing

    func response(status: HTTPResponse.Status, isAtom: Bool, expands: [String]) throws -> Response {
        guard isAtom else { return try .json(json(expands), status: status) }
        let body = ResponseBody(byteBuffer: ByteBuffer(string: atom(expands)))
        return Response(status: status, headers: [.contentType: "application/atom+xml;charset=utf-8"], body: body)
    }

    private func json(_ expands: [String]) -> JSONValue {
        var members = Self.json(properties)
        members["__metadata"] = .object(["uri": .text(uri), "type": .text("applications.Connection")])
        for name in ["Capability", "FeatureVectorPolicy"] {
            let entities = name == "Capability" ? capabilities : []
            members[name] =
                expands.contains(name)
                ? .object(["results": .list(entities.map { .object(Self.json($0)) })])
                : .object(["__deferred": .object(["uri": .text("\(uri)/\(name)")])])
        }
        return .object(["d": .object(members)])
    }

    private static func json(_ properties: [String: MobileValue]) -> [String: JSONValue] {
        properties.mapValues { value in
            switch value {
            case .none: .nothing
            case .flag(let flag): .flag(flag)
            case .number(let number): .number(number)
            case .text(let text): .text(text)
            case .date(let milliseconds): .text("/Date(\(milliseconds))/")
            }
        }
    }

    private func atom(_ expands: [String]) -> String {
        let inline = expands.contains("Capability") ? capabilities.map { Self.entry(Self.atom($0)) }.joined() : nil
        let link = inline.map {
            "<link rel=\"\(Self.related)Capability\" title=\"Capability\" href=\"\(Markup.text(uri))/Capability\">"
                + "<m:inline><feed>\($0)</feed></m:inline></link>"
        }
        return "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
            + "<entry xmlns=\"http://www.w3.org/2005/Atom\" xmlns:d=\"\(Self.data)\" xmlns:m=\"\(Self.metadata)\">"
            + "<id>\(Markup.text(uri))</id>\(link ?? "")" + Self.content(Self.atom(properties)) + "</entry>"
    }

    private static func entry(_ properties: String) -> String { "<entry>\(content(properties))</entry>" }

    private static func content(_ properties: String) -> String {
        "<content type=\"application/xml\"><m:properties>\(properties)</m:properties></content>"
    }

    private static func atom(_ properties: [String: MobileValue]) -> String {
        properties.sorted { $0.key < $1.key }.map { name, value in
            switch value {
            case .none: "<d:\(name) m:null=\"true\"/>"
            case .flag(let flag): "<d:\(name) m:type=\"Edm.Boolean\">\(flag)</d:\(name)>"
            case .number(let number): "<d:\(name) m:type=\"Edm.Int32\">\(number)</d:\(name)>"
            case .text(let text): "<d:\(name)>\(Markup.text(text))</d:\(name)>"
            case .date(let milliseconds):
                "<d:\(name) m:type=\"Edm.DateTime\">"
                    + Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601).dropLast()
                    + ".\(String(format: "%03d", milliseconds % 1000))</d:\(name)>"
            }
        }.joined()
    }

    // MARK: Reading

    /// Reads a connection from a request's body; nil if it cannot be read.
    static func read(_ bytes: [UInt8], contentType: String) -> MobileEntity? {
        if contentType.hasPrefix("application/atom+xml") { return readAtom(bytes) }
        guard contentType.hasPrefix("application/json"),
            let members = try? JSONDecoder().decode([String: Member].self, from: Data(bytes))
        else { return nil }
        var entity = MobileEntity(uri: "", properties: [:])
        for (name, member) in members {
            switch member {
            case .value(let value): entity.properties[name] = value
            case .entities(let entities): if name == "Capability" { entity.capabilities = entities }
            }
        }
        return entity
    }

    private enum Member: Decodable {
        case value(MobileValue)
        case entities([[String: MobileValue]])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(MobileValue.self) {
                self = .value(value)
            } else {
                self = .entities(try container.decode([[String: MobileValue]].self))
            }
        }
    }

    private static func readAtom(_ bytes: [UInt8]) -> MobileEntity? {
        guard let entry = MarkupElement.read(bytes), entry.name == "entry",
            let properties = entry.at("content", "properties")
        else { return nil }
        var entity = MobileEntity(uri: "", properties: values(properties))
        let feed = entry.children.first { $0.name == "link" }?.at("inline", "feed")
        entity.capabilities = (feed?.children ?? []).compactMap { $0.at("content", "properties").map(values) }
        return entity
    }

    private static func values(_ properties: MarkupElement) -> [String: MobileValue] {
        var values: [String: MobileValue] = [:]
        for element in properties.children {
            values[element.name] =
                if element.attributes["m:null"] == "true" { MobileValue.none } else {
                    switch element.attributes["m:type"] {
                    case "Edm.Boolean": .flag(element.text == "true")
                    case "Edm.Int32": .number(Int(element.text) ?? 0)
                    default: .text(element.text)
                    }
                }
        }
        return values
    }
}
