import Crypto
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// Describes the resource that a partial file is the beginning of. Stored beside the target and in tokens; contains no
/// secret.
struct PartialRecord: Hashable, Sendable {
    /// The origin and path, for display: a query may be secret.
    let resource: String
    /// SHA-256 of the whole URL, in hexadecimal digits.
    let fingerprint: String
    /// The same digest of the URL without its signature; nil if the URL has no signature.
    let unsignedFingerprint: String?
    /// The strong validator.
    let entityTag: String
    /// The number of bytes of the complete file.
    let total: Int
    /// The name of the partial file, in the target's folder.
    let part: String

    init(of url: TargetURL, _ tag: EntityTag, total: Int, part: String) {
        resource = Self.resource(of: url)
        fingerprint = Self.fingerprint(of: url)
        unsignedFingerprint = Self.unsignedFingerprint(of: url)
        entityTag = tag.text
        self.total = total
        self.part = part
    }

    /// Whether a request asks for this resource: with the same URL, or with one that was signed again for the same
    /// resource. The validator and the length have to match in either case.
    func describes(_ url: TargetURL) -> Bool {
        if fingerprint == Self.fingerprint(of: url) { return true }
        guard let unsignedFingerprint else { return false }
        return unsignedFingerprint == Self.unsignedFingerprint(of: url)
    }

    static func resource(of url: TargetURL) -> String { url.origin.description + url.path }

    private static func fingerprint(of url: TargetURL) -> String {
        fingerprint(url.origin.description + url.requestTarget)
    }

    private static func unsignedFingerprint(of url: TargetURL) -> String? {
        url.query.flatMap(SignedQuery.resource).map { fingerprint("\(resource(of: url))?\($0)") }
    }

    private static func fingerprint(_ text: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Data(text.utf8)))
    }

    // MARK: Names

    /// The path of a target's record.
    static func path(of target: String) -> String { "\(start(beside: target)).resume" }

    /// A path for a partial file.
    static func part(of target: String, _ ending: String) -> String { "\(start(beside: target)).\(ending).part" }

    /// The bytes of a target's name in names of files beside it. File systems allow 255 with the ending.
    private static let maximumName = 200

    /// The start of the paths of files beside a target: its path, with a long name shortened. A digest tells long names
    /// apart that begin alike.
    static func start(beside target: String) -> String {
        let (folder, name) = split(target)
        guard name.utf8.count > maximumName else { return target }
        let digest = String(fingerprint(String(name)).prefix(16))
        var start = ""
        for scalar in name.unicodeScalars {
            guard start.utf8.count + scalar.utf8.count <= maximumName - digest.utf8.count - 1 else { break }
            start.unicodeScalars.append(scalar)
        }
        return "\(folder)\(start).\(digest)"
    }

    /// The path of the partial file. Returns nil if its name is not one for parts of the target.
    func partPath(beside target: String) -> String? {
        let (folder, base) = Self.split(Self.start(beside: target))
        let name = Array(part.utf8)
        let start = Array(base.utf8) + [UInt8(ascii: ".")]
        let ending = Array(".part".utf8)
        guard name.count > start.count + ending.count, name.starts(with: start),
            name.suffix(ending.count) == ending[...],
            !name.contains(0), !name.contains(UInt8(ascii: "/"))
        else { return nil }
        return String(folder) + part
    }

    /// Splits a path at its last slash, bytewise: a combining mark may hide a slash.
    static func split(_ path: String) -> (folder: Substring, name: Substring) {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        return (path[..<start], path[start...])
    }
}

extension PartialRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case format, resource, fingerprint, unsignedFingerprint, entityTag, total, part
    }

    /// Distinguishes our files from others.
    private static let format = "HttpConversation download 1"

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard try values.decode(String.self, forKey: .format) == Self.format else {
            throw DecodingError.dataCorruptedError(forKey: .format, in: values, debugDescription: "another format")
        }
        resource = try values.decode(String.self, forKey: .resource)
        fingerprint = try values.decode(String.self, forKey: .fingerprint)
        unsignedFingerprint = try values.decodeIfPresent(String.self, forKey: .unsignedFingerprint)
        entityTag = try values.decode(String.self, forKey: .entityTag)
        total = try values.decode(Int.self, forKey: .total)
        part = try values.decode(String.self, forKey: .part)
        guard EntityTag(strong: entityTag) != nil, total > 0 else {
            throw DecodingError.dataCorruptedError(forKey: .entityTag, in: values, debugDescription: "no validator")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.format, forKey: .format)
        try values.encode(resource, forKey: .resource)
        try values.encode(fingerprint, forKey: .fingerprint)
        try values.encodeIfPresent(unsignedFingerprint, forKey: .unsignedFingerprint)
        try values.encode(entityTag, forKey: .entityTag)
        try values.encode(total, forKey: .total)
        try values.encode(part, forKey: .part)
    }
}
