import Foundation
import TestLandscape

/// An OData service of a landscape, requested by curl.
struct ODataService {
    let landscape: Landscape
    var version = "v4"
    var login = "open"
    var origin = LandscapeOrigin.main
    var arguments: [String] = []

    var root: String { landscape.urlString(origin, "/service/\(login)/\(version)/") }

    /// - Parameter path: the path below the root; only spaces are encoded
    func get(_ path: String, _ more: String...) async throws -> Curl {
        try await Curl.run(arguments + ["-g"] + more + [root + path.replacingOccurrences(of: " ", with: "%20")])
    }

    func json(_ path: String, _ more: String...) async throws -> [String: Any] {
        let accept = ["-H", "Accept: application/json"] + more
        let url = root + path.replacingOccurrences(of: " ", with: "%20")
        return try await Curl.run(arguments + ["-g"] + accept + [url]).json()
    }

    /// The rows of a page.
    func rows(_ path: String, _ more: String...) async throws -> [[String: Any]] {
        let answer = try await json(path)
        let inner = (answer["d"] as? [String: Any])?["results"] ?? answer["value"]
        return inner as? [[String: Any]] ?? []
    }

    /// The keys of a filter's rows. The filter is encoded.
    func keys(_ set: String, _ key: String, where filter: String) async throws -> [String] {
        let encoded = filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try await rows("\(set)?$filter=\(encoded)").map { "\($0[key] ?? "")" }
    }

    /// Sends a request. Returns the status and the whole answer with its head.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, _ more: String...
    ) async throws -> (status: Int, text: String) {
        // curl would send a second `Content-Type` beside the given one.
        let isTyped = more.contains { $0.hasPrefix("Content-Type:") }
        let type = isTyped ? [] : ["-H", "Content-Type: application/json"]
        let content = body.map { type + ["--data-binary", $0] } ?? []
        let accept = ["-i", "-g", "-X", method, "-H", "Accept: application/json", "-H", "Expect:"]
        let text = try await Curl.run(arguments + accept + content + more + [root + path]).text
        return (Int(text.dropFirst(9).prefix(3)) ?? -1, text)
    }
}
