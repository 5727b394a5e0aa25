import HTTPTypes
import HttpC
import HttpConvFormats
import NIOHTTP1

@testable import HttpCRelay

/// Requests to a relay, and the fields of its target's answers.
let relayTargets: [FuzzTarget] = [FuzzTarget("relay", relay)]

private let keys = RelayKeys()
private let gate = (try? TargetURL("https://intra.example/app/")).flatMap { try? TargetDirectory($0) }
    .map { RelayGate(place: $0, authority: "127.0.0.1:4711", keys: keys) }

/// The request target, and fields until an empty line; then fields of an answer. `SECRET` and `COOKIE` stand for the
/// relay's own.
private func relay(_ bytes: [UInt8]) throws {
    guard let gate else { throw BrokenProperty("a place") }
    let text = bytes.text.replacing("SECRET", with: keys.secret.value)
        .replacing("COOKIE", with: "\(keys.cookieName)=\(keys.cookieValue.value)")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let end = lines.firstIndex(of: "") ?? lines.endIndex
    var headers: HTTPHeaders = ["Host": "127.0.0.1:4711"]
    for line in lines[..<end].dropFirst() {
        guard let (name, value) = line.cut(atASCII: ":") else { continue }
        headers.add(name: String(name), value: String(value))
    }
    let head = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: lines.first.map(String.init) ?? "", headers: headers)
    try judge(gate, head)
    try answer(gate, lines[end...])
}

private func judge(_ gate: RelayGate, _ head: HTTPRequestHead) throws(BrokenProperty) {
    switch gate.judge(head) {
    case .forward(let relayed):
        let target = relayed.url.requestTarget
        try require(relayed.url.origin == gate.place.origin && target.hasPrefix("/app/"), "the target holds: \(target)")
        try require(!target.contains(keys.secret.value), "the target gets no secret")
        var path = Array(relayed.url.path.utf8)
        for _ in 0..<3 {
            let segments = path.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            try require(!segments.contains { $0.elementsEqual("..".utf8) }, "no path leads up: \(target)")
            path = path.percentDecoded
        }
        for field in relayed.request.headerFields {
            try require(!field.value.hasControlsBesidesTab || !field.value.utf8.contains(0x0A), "one line")
            try require(!field.value.contains(keys.cookieValue.value), "the target gets no cookie")
            try require(!field.value.contains(keys.secret.value), "the target gets no secret")
            try require(!["cookie", "authorization", "host"].contains(field.name.canonicalName), "dropped fields")
        }
    case .enter(let path):
        try require(path.hasPrefix("/") && !path.hasPrefix("//") && !path.hasPrefix("/\\"), "the way in: \(path)")
    case .refuse: return
    }
}

private func answer(_ gate: RelayGate, _ lines: ArraySlice<Substring>) throws(BrokenProperty) {
    var fields = HTTPFields()
    for line in lines {
        guard let (name, value) = line.cut(atASCII: ":"), let name = HTTPField.Name(String(name)) else { continue }
        fields.append(HTTPField(name: name, value: String(value)))
    }
    guard let url = try? TargetURL("https://intra.example/app/dir/page") else { throw BrokenProperty("a URL") }
    let headers = RelayFields.answer(fields, from: url, at: gate.place, base: "")
    for (name, value) in headers {
        try require(!value.hasControlsBesidesTab, "one line: \(name)")
        try require(name.lowercased() != "set-cookie", "no cookie")
    }
    for location in headers["Location"] {
        let isLocal = location.hasPrefix("/") && !location.hasPrefix("//") && !location.hasPrefix("/\\")
        let scheme = location.prefix(upToASCII: ":").lowercased()
        let isOther = location.utf8.contains(UInt8(ascii: ":")) && !["javascript", "data", "file"].contains(scheme)
        try require(isLocal || isOther, "a place: \(location)")
    }
}
