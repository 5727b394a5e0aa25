/// `$batch` as JSON (OData JSON 4.01, 19).
extension ODataService {
    func jsonBatch(_ call: ODataRequest, _ data: inout ODataData) throws(ODataFailure) -> ODataAnswer {
        guard case .list(let list)? = try ODataJSON.read(call.body).members?["requests"], list.count <= Self.partLimit
        else { throw ODataFailure(400, "that is no batch", code: "LND/BATCH") }
        let continues = call.field("Prefer")?.contains("continue-on-error") == true
        var answers: [(id: String, group: String?, answer: ODataAnswer)] = []
        var created: [String: String] = [:]
        var failed: Set<String> = []
        var start: (group: String, data: ODataData, index: Int)?
        for item in list {
            guard let members = item.members, let id = members["id"]?.string, let method = members["method"]?.string,
                let url = members["url"]?.string
            else { throw ODataFailure(400, "a request has id, method and url", code: "LND/BATCH") }
            let group = members["atomicityGroup"]?.string
            if group != start?.group { start = group.map { ($0, data, answers.count) } }
            var needs: [String] = []
            if case .list(let names)? = members["dependsOn"] { needs = names.compactMap(\.string) }
            if failed.contains(where: { $0 == group || needs.contains($0) }) {
                answers.append((id, group, ODataAnswer(ODataFailure(424, "what it needs failed"), version, nil)))
                failed.insert(id)
                continue
            }
            let fields = (members["headers"]?.members ?? [:]).map {
                HeaderField(name: $0.key, value: $0.value.string ?? "")
            }
            let body = members["body"].map { Array($0.serialized.utf8) } ?? []
            guard
                let inner = ODataRequest(
                    method: method.uppercased(), target: Self.resolve(url, created), root: root,
                    fields: fields + [HeaderField(name: "Content-Type", value: "application/json")], body: body)
            else { throw ODataFailure(400, "a URL is elsewhere", code: "LND/BATCH") }
            let answer = self.answer(inner, &data)
            answers.append((id, group, answer))
            if let location = answer.field("Location") { created[id] = location }
            guard answer.status >= 400 else { continue }
            failed.insert(id)
            if let group, let begin = start {
                data = begin.data
                failed.insert(group)
                for index in begin.index..<(answers.count - 1) {
                    answers[index].answer = ODataAnswer(ODataFailure(424, "another of the group failed"), version, nil)
                }
            } else if !continues {
                break
            }
        }
        var texts = answers.map { Self.json($0.id, $0.group, $0.answer) }
        if let fault = rule.fault { texts = fault.batch(texts) }
        let text = "{\"responses\":[" + texts.joined(separator: ",") + (rule.fault == .malformedBatch ? "" : "]}")
        return ODataAnswer(200, text, type: "application/json")
    }

    private static func json(_ id: String, _ group: String?, _ answer: ODataAnswer) -> String {
        let fields = answer.fields.map { ODataText.quoted($0.name.lowercased()) + ":" + ODataText.quoted($0.value) }
        let text = String(decoding: answer.body, as: UTF8.self)
        let isJSON = answer.field("Content-Type")?.contains("json") == true
        return "{\"id\":\(ODataText.quoted(id))" + (group.map { ",\"atomicityGroup\":\(ODataText.quoted($0))" } ?? "")
            + ",\"status\":\(answer.status),\"headers\":{\(fields.joined(separator: ","))}"
            + (text.isEmpty ? "" : ",\"body\":\(isJSON ? text : ODataText.quoted(text))") + "}"
    }
}
