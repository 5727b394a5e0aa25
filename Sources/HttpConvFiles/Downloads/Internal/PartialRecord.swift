import Crypto
import Foundation
import HttpConversation

/// Of what a partial file is the beginning. It lies beside the target, and is part of a token; nothing in it is secret.
struct PartialRecord: Hashable, Sendable {
    /// Origin and path, for people: a query may be secret.
    let resource: String
    /// SHA-256 of the whole URL, in hexadecimal digits.
    let fingerprint: String
    /// The same of the URL without its signature; nil where there is none.
    let unsignedFingerprint: String?
    /// The strong validator.
    let entityTag: String
    /// The number of bytes of the whole.
    let total: Int
    /// The name of the partial file, in the folder of the target.
    let part: String

    init(of url: TargetURL, _ tag: EntityTag, total: Int, part: String) {
        resource = Self.resource(of: url)
        fingerprint = Self.fingerprint(of: url)
        unsignedFingerprint = Self.unsignedFingerprint(of: url)
        entityTag = tag.text
        self.total = total
        self.part = part
    }

    /// Whether it is about what a request asks for: the same URL, or one that was signed anew for the same resource.
    /// Validator and length have to agree in either case.
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

    /// The place of the record of a target.
    static func path(of target: String) -> String { "\(target).resume" }

    /// A place for a partial file.
    static func part(of target: String, _ ending: String) -> String { "\(target).\(ending).part" }

    /// Where the partial file is; nil where its name is not one that is given to those of the target.
    func partPath(beside target: String) -> String? {
        let (folder, base) = Self.split(target)
        let name = Array(part.utf8)
        let start = Array(base.utf8) + [UInt8(ascii: ".")]
        let ending = Array(".part".utf8)
        guard name.count > start.count + ending.count, name.starts(with: start),
            name.suffix(ending.count) == ending[...],
            !name.contains(0), !name.contains(UInt8(ascii: "/"))
        else { return nil }
        return String(folder) + part
    }

    /// A path as bytes have it: a combining mark may hide a slash.
    static func split(_ path: String) -> (folder: Substring, name: Substring) {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        return (path[..<start], path[start...])
    }
}

extension PartialRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case format, resource, fingerprint, unsignedFingerprint, entityTag, total, part
    }

    /// Tells it from files of others.
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
