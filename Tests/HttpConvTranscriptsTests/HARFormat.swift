import Foundation

/// The rules of HAR 1.2 for each object: its members, their types, and the required ones.
struct HARFormat {
    private(set) var problems: [String] = []
    private var pages: Set<String> = []

    /// The problems of a document.
    static func problems(of text: String) throws -> [String] {
        var format = HARFormat()
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let log = format.members(json, "", ["log!": .object])["log"]
        format.check(log)
        return format.problems
    }

    private enum Kind { case string, integer, size, time, knownTime, date, object, array }

    private mutating func check(_ log: Any?) {
        let members = members(
            log, "log",
            [
                "version!": .string, "creator!": .object, "browser": .object, "pages": .array, "entries!": .array,
                "comment": .string,
            ])
        if members["version"] as? String != "1.2" { problems.append("log.version") }
        _ = self.members(members["creator"], "creator", ["name!": .string, "version!": .string])
        for page in members["pages"] as? [Any] ?? [] { check(page: page) }
        for entry in members["entries"] as? [Any] ?? [] { check(entry: entry) }
    }

    private mutating func check(page: Any) {
        let found = members(
            page, "page",
            ["startedDateTime!": .date, "id!": .string, "title!": .string, "pageTimings!": .object, "comment": .string])
        if let id = found["id"] as? String, !pages.insert(id).inserted { problems.append("two pages \(id)") }
        _ = members(found["pageTimings"], "pageTimings", ["onContentLoad": .time, "onLoad": .time])
    }

    private mutating func check(entry: Any) {
        let found = members(
            entry, "entry",
            [
                "pageref": .string, "startedDateTime!": .date, "time!": .knownTime, "request!": .object,
                "response!": .object, "cache!": .object, "timings!": .object, "serverIPAddress": .string,
                "connection": .string, "comment": .string,
            ])
        if let page = found["pageref"] as? String, !pages.contains(page) { problems.append("no page \(page)") }
        check(request: found["request"])
        check(response: found["response"])
        let timings = members(
            found["timings"], "timings",
            [
                "blocked": .time, "dns": .time, "connect": .time, "send!": .knownTime, "wait!": .knownTime,
                "receive!": .knownTime, "ssl": .time,
            ])
        // The handshake is part of the time for connecting.
        let sum = timings.filter { $0.key != "ssl" }.compactMap { $0.value as? Double }.filter { $0 > 0 }.reduce(0, +)
        if abs(sum - (found["time"] as? Double ?? -1)) > 0.01 { problems.append("entry.time is not the sum") }
    }

    private mutating func check(request: Any?) {
        let found = members(
            request, "request",
            [
                "method!": .string, "url!": .string, "httpVersion!": .string, "cookies!": .array, "headers!": .array,
                "queryString!": .array, "headersSize!": .size, "bodySize!": .size, "postData": .object,
            ])
        for name in ["cookies", "headers", "queryString"] { check(pairs: found[name], name) }
    }

    private mutating func check(response: Any?) {
        let found = members(
            response, "response",
            [
                "status!": .integer, "statusText!": .string, "httpVersion!": .string, "cookies!": .array,
                "headers!": .array, "content!": .object, "redirectURL!": .string, "headersSize!": .size,
                "bodySize!": .size,
            ])
        for name in ["cookies", "headers"] { check(pairs: found[name], name) }
        _ = members(found["content"], "content", ["size!": .integer, "mimeType!": .string, "text": .string])
    }

    private mutating func check(pairs: Any?, _ place: String) {
        for pair in pairs as? [Any] ?? [] { _ = members(pair, place, ["name!": .string, "value!": .string]) }
    }

    /// - Parameter expected: the members; required ones end in `!`
    private mutating func members(_ value: Any?, _ place: String, _ expected: [String: Kind]) -> [String: Any] {
        guard let found = value as? [String: Any] else {
            problems.append("\(place) is no object")
            return [:]
        }
        var kinds: [String: Kind] = [:]
        for (name, kind) in expected {
            let plain = name.replacing("!", with: "")
            kinds[plain] = kind
            if name != plain, found[plain] == nil { problems.append("\(place).\(plain) is missing") }
        }
        for (name, value) in found where !name.hasPrefix("_") {
            guard let kind = kinds[name] else {
                problems.append("\(place).\(name) is nothing of the format's")
                continue
            }
            if !Self.fits(value, kind) { problems.append("\(place).\(name) is \(value)") }
        }
        return found
    }

    private static func fits(_ value: Any, _ kind: Kind) -> Bool {
        switch kind {
        case .string: value is String
        case .integer: (value as? Int).map { $0 >= 0 } ?? false
        case .size: (value as? Int).map { $0 >= -1 } ?? false
        case .time: (value as? Double).map { $0 >= -1 } ?? false
        case .knownTime: (value as? Double).map { $0 >= 0 } ?? false
        case .date:
            (value as? String).map { text in
                text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/) != nil
            } ?? false
        case .object: value is [String: Any]
        case .array: value is [Any]
        }
    }
}
