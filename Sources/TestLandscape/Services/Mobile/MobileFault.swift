import HTTPTypes
import HummingbirdCore
import NIOCore

/// A fault of a mobile server's answers about connections. The status stays right.
package enum MobileFault: String, Sendable, CaseIterable {
    /// JSON that ends too early.
    case malformedJSON = "malformed-json"
    /// Atom that ends too early.
    case malformedAtom = "malformed-atom"
    /// Letters in place of numbers, and objects in place of values.
    case wrongTypes = "wrong-types"
    /// Numbers that are too large for any integer type.
    case hugeNumbers = "huge-numbers"
    /// Deeply nested arrays.
    case deepNesting = "deep-nesting"
    /// XML entities that each expand to ten others.
    case entityExpansion = "entity-expansion"
    /// An XML entity that refers to another resource.
    case externalEntity = "external-entity"
    /// A page, as of a captive portal.
    case page
    /// JSON with another media type.
    case wrongContentType = "wrong-content-type"
    /// A policy that no passcode can satisfy.
    case contradictoryPolicy = "contradictory-policy"
    /// An endless answer.
    case endless
    /// An id that no header field can carry.
    case unusableID = "unusable-id"

    /// The faulty answer; nil for a fault that only changes properties (``properties``).
    func response(status: HTTPResponse.Status) -> Response? {
        let deep = String(repeating: "[", count: 20_000)
        return switch self {
        case .malformedJSON: Self.json(#"{"d":{"ApplicationConnectionId":"x","#, status)
        case .malformedAtom: Self.atom("<entry xmlns=\"http://www.w3.org/2005/Atom\"><content>", status)
        case .deepNesting: Self.json(#"{"d":{"ApplicationConnectionId":"x","Deep":\#(deep)}}"#, status)
        case .hugeNumbers:
            Self.json(#"{"d":{"ApplicationConnectionId":"x","PasswordPolicyRetryLimit":99999999999999999999}}"#, status)
        case .entityExpansion: Self.atom(Self.laughs, status)
        case .externalEntity: Self.atom(Self.external, status)
        case .page:
            Self.answer(
                "<!DOCTYPE html><html><form action=\"/login\">Welcome to our network</form></html>", status, "text/html"
            )
        case .wrongContentType: Self.answer(#"{"d":{"ApplicationConnectionId":"x"}}"#, status, "image/png")
        case .endless: Self.json(#"{"d":{"Note":""# + String(repeating: "x", count: 8 << 20) + #""}}"#, status)
        case .wrongTypes:
            Self.json(
                #"{"d":{"ApplicationConnectionId":"x","PasswordPolicyMinLength":"eight","UserName":{"a":1}}}"#, status)
        case .unusableID: Self.json(#"{"d":{"ApplicationConnectionId":"x\r\nX-Evil: 1"}}"#, status)
        case .contradictoryPolicy: nil
        }
    }

    /// Properties that replace the right ones.
    var properties: [String: MobileValue] {
        self == .contradictoryPolicy ? ["PasswordPolicyMinUniqueChars": .number(300)] : [:]
    }

    private static let laughs: String = {
        let levels = (1...12).map { level in
            "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
        }
        return "<?xml version=\"1.0\"?><!DOCTYPE entry [<!ENTITY l0 \"ha\">" + levels.joined() + "]>" + entry("&l12;")
    }()

    private static let external =
        "<?xml version=\"1.0\"?><!DOCTYPE entry [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>" + entry("&e;")

    private static func entry(_ text: String) -> String {
        "<entry xmlns=\"http://www.w3.org/2005/Atom\" xmlns:d=\"\(MobileEntity.data)\" xmlns:m=\"\(MobileEntity.metadata)\">"
            + "<content type=\"application/xml\"><m:properties><d:ApplicationConnectionId>x</d:ApplicationConnectionId>"
            + "<d:UserName>\(text)</d:UserName></m:properties></content></entry>"
    }

    private static func json(_ text: String, _ status: HTTPResponse.Status) -> Response {
        answer(text, status, "application/json")
    }

    private static func atom(_ text: String, _ status: HTTPResponse.Status) -> Response {
        answer(text, status, "application/atom+xml")
    }

    private static func answer(_ text: String, _ status: HTTPResponse.Status, _ type: String) -> Response {
        Response(
            status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
