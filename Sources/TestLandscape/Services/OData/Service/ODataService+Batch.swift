import Foundation

/// `$batch` as multipart/mixed: requests, and atomic change sets.
extension ODataService {
    static let partLimit = 1000

    func batch(_ call: ODataRequest, _ data: inout ODataData) throws(ODataFailure) -> ODataAnswer {
        let type = call.field("Content-Type") ?? ""
        if version == .v4, type.lowercased().hasPrefix("application/json") { return try jsonBatch(call, &data) }
        guard let parts = ODataMultipart.parts(call.body, type: type), parts.count <= Self.partLimit else {
            throw ODataFailure(400, "that is no batch", code: "LND/BATCH")
        }
        let continues = version == .v2 || call.field("Prefer")?.contains("continue-on-error") == true
        var answers: [String] = []
        for part in parts {
            if part.type.lowercased().hasPrefix("multipart/mixed") {
                guard let inner = ODataMultipart.parts(part.body, type: part.type), inner.count <= Self.partLimit else {
                    throw ODataFailure(400, "that is no change set", code: "LND/BATCH")
                }
                let (text, failed) = try changeSet(inner, &data)
                answers.append(text)
                if failed, !continues { break }
            } else {
                let inner = try self.call(part, created: [:])
                guard inner.method == "GET" || version == .v4 else {
                    throw ODataFailure(400, "changes belong in change sets", code: "LND/BATCH")
                }
                let answer = self.answer(inner, &data)
                answers.append(Self.http(answer, id: part.id))
                if answer.status >= 400, !continues { break }
            }
        }
        if let fault = rule.fault { answers = fault.batch(answers) }
        let boundary = "batch_\(RandomToken.make())"
        let text = answers.map { "--\(boundary)\r\n\($0)\r\n" }.joined() + "--\(boundary)--\r\n"
        let body = rule.fault == .malformedBatch ? String(text.dropLast(boundary.count + 30)) : text
        return ODataAnswer(version == .v2 ? 202 : 200, body, type: "multipart/mixed; boundary=\(boundary)")
    }

    private func changeSet(
        _ parts: [ODataMultipart], _ data: inout ODataData
    ) throws(ODataFailure) -> (text: String, failed: Bool) {
        let before = data
        var created: [String: String] = [:]
        var texts: [String] = []
        for part in parts {
            let call = try self.call(part, created: created)
            let answer = self.answer(call, &data)
            if answer.status >= 400 {
                data = before
                return (Self.http(answer, id: part.id), true)
            }
            if let id = part.id, let location = answer.field("Location") { created[id] = location }
            texts.append(Self.http(answer, id: part.id))
        }
        if let fault = rule.fault { texts = fault.batch(texts) }
        let boundary = "changeset_\(RandomToken.make())"
        let text = texts.map { "--\(boundary)\r\n\($0)\r\n" }.joined() + "--\(boundary)--\r\n"
        return (
            "Content-Type: multipart/mixed; boundary=\(boundary)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)",
            false
        )
    }

    /// The request in a part. `$id` refers to the entity of an earlier request.
    private func call(_ part: ODataMultipart, created: [String: String]) throws(ODataFailure) -> ODataRequest {
        guard let request = ODataMultipart.request(part.body),
            let call = ODataRequest(
                method: request.method, target: Self.resolve(request.target, created), root: root,
                fields: request.fields, body: request.body)
        else { throw ODataFailure(400, "a part is no request", code: "LND/BATCH") }
        var resolved = call
        if !created.isEmpty, var text = String(validating: call.body, as: UTF8.self) {
            for (id, location) in created {
                text = text.replacingOccurrences(of: "\"$\(id)\"", with: "\"\(location)\"")
            }
            resolved.body = Array(text.utf8)
        }
        return resolved
    }

    static func resolve(_ target: String, _ created: [String: String]) -> String {
        let rest = target.hasPrefix("/$") ? target.dropFirst() : Substring(target)
        guard rest.hasPrefix("$") else { return target }
        let name = rest.dropFirst().prefix { $0 != "/" && $0 != "?" }
        guard let location = created[String(name)] else { return target }
        return location + rest.dropFirst(1 + name.count)
    }

    private static func http(_ answer: ODataAnswer, id: String?) -> String {
        let fields = (answer.fields + [HeaderField(name: "Content-Length", value: "\(answer.body.count)")])
            .map { "\($0.name): \($0.value)\r\n" }.joined()
        let id = id.map { "Content-ID: \($0)\r\n" } ?? ""
        return "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\(id)\r\n"
            + "HTTP/1.1 \(answer.status) \(answer.status < 400 ? "Good" : "Bad")\r\n\(fields)\r\n"
            + String(decoding: answer.body, as: UTF8.self)
    }
}
