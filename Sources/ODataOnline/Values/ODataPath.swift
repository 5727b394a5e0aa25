import HttpConvFormats
import HttpConversation

/// The path of something below the root of a service: an entity set, an entity, a property and so on.
///
/// ```swift
/// ODataPath("Orders").key(7).property("Items").key(["OrderID": 7, "Line": 2])
/// ```
/// Names and values are checked, quoted and encoded when a request is made.
public struct ODataPath: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        case name(String)
        case key(ODataKey)
        /// A function with the parameters of its call (4.0).
        case function(String, [ODataKey.Part])
        /// `$value`, `$count` and other names of the protocol.
        case system(String)
        /// A link that the service sent.
        case link(String)
        /// The result of an earlier part of a batch.
        case reference(String)
    }

    var segments: [Segment]

    init(segments: [Segment]) { self.segments = segments }

    /// An entity set, a singleton or another resource of the service.
    public init(_ name: String) { segments = [.name(name)] }

    /// A link that the service sent, such as ``ODataAnnotations/editLink``. It must lead below the root of the service.
    public init(link: String) { segments = [.link(link)] }

    /// The entity with a key.
    public func key(_ key: ODataKey) -> ODataPath { adding(.key(key)) }

    /// A property of an entity or complex value, or the target of a navigation property.
    public func property(_ name: String) -> ODataPath { adding(.name(name)) }

    /// The same resource as a derived type, by the type's qualified name.
    public func cast(to type: String) -> ODataPath { adding(.name(type)) }

    /// The bare value of a property, or the stream of a media entity (`$value`).
    public var value: ODataPath { adding(.system("$value")) }

    /// The number of entities (`$count`).
    public var count: ODataPath { adding(.system("$count")) }

    private func adding(_ segment: Segment) -> ODataPath { ODataPath(segments: segments + [segment]) }

    func adding(system name: String) -> ODataPath { adding(.system(name)) }
    func adding(function name: String, _ parameters: [ODataKey.Part]) -> ODataPath {
        adding(.function(name, parameters))
    }

    /// The path relative to the root, percent-encoded.
    func text(_ version: ODataVersion) throws(ODataError) -> String {
        var text = ""
        for segment in segments {
            let separator = text.isEmpty ? "" : "/"
            switch segment {
            case .name(let name):
                try ODataName.check(qualified: name)
                text += separator + PercentEncoding.encoded(name)
            case .key(let key): text += try key.text(version)
            case .function(let name, let parameters):
                try ODataName.check(qualified: name)
                text += separator + PercentEncoding.encoded(name)
                text += parameters.isEmpty ? "()" : try ODataKey(parts: parameters).text(version)
            case .system(let name): text += separator + name
            case .link(let link): text += link
            case .reference(let name): text += "$" + name
            }
        }
        return text
    }

    /// The path in an error. Links come from the service.
    func shown(_ version: ODataVersion) throws(ODataError) -> String {
        TerminalText.sanitise(try text(version), limit: 200)
    }

    /// The name of the last segment; nil if it has none.
    var lastName: String? {
        switch segments.last {
        case .name(let name): name
        case .link(let link): LiteralPath.segments(link).last.map { String($0.prefix { $0 != "(" }) }
        default: nil
        }
    }

    /// The service's link and the segments after it; nil for other paths.
    var link: (link: String, rest: ODataPath)? {
        guard case .link(let link)? = segments.first else { return nil }
        return (link, ODataPath(segments: Array(segments.dropFirst())))
    }
}

extension ODataPath: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}
