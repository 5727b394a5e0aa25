import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Matches the answers of a batch to its requests. A mismatch is an error, because then it is unknown which requests
/// were done.
struct BatchAnswers {
    private let plan: BatchPlan
    private let client: ServiceClient
    /// The answer to the whole batch.
    private let whole: ServiceAnswer
    private(set) var outcomes: [Int: Result<ServiceAnswer, ODataError>] = [:]

    init(_ plan: BatchPlan, _ client: ServiceClient, _ answer: ServiceAnswer) throws(ODataError) {
        self.plan = plan
        self.client = client
        whole = answer
        do throws(BatchFailure) {
            if let boundary = MultipartReader.boundary(answer.fields[.contentType]) {
                try read(multipart: answer.bytes, boundary)
            } else if answer.kind == .json {
                try read(json: answer.bytes)
            } else {
                throw .format(FormatFailure("it is not an answer to a batch"))
            }
        } catch {
            switch error {
            case .format(let problem): throw client.malformed(problem, status: answer.status)
            case .mismatch(let reason):
                throw ODataError(
                    .batchMismatch,
                    "The answer of \(client.root.url) to a batch is invalid: \(reason). Whether something was changed is "
                        + "not known: read it again.",
                    status: answer.status)
            }
        }
    }

    private enum BatchFailure: Error {
        case format(FormatFailure)
        case mismatch(String)
    }

    // MARK: multipart/mixed

    private mutating func read(multipart bytes: [UInt8], _ boundary: String) throws(BatchFailure) {
        let parts = try formatted { () throws(FormatFailure) in
            try MultipartReader.parts(bytes[...], boundary: boundary)
        }
        guard parts.count <= plan.groups.count else { throw .mismatch("it has more parts than the batch") }
        for (group, part) in zip(plan.groups, parts) {
            if let inner = MultipartReader.boundary(part.fields["content-type"]) {
                guard group.isChangeSet else { throw .mismatch("there is a change set instead of a single answer") }
                try read(changes: part, inner, group)
                continue
            }
            let (answer, id) = try message(part)
            guard group.isChangeSet else {
                let step = group.steps[0]
                guard id == nil || id == "\(step.id)" else { throw .mismatch("the answers are in another order") }
                outcomes[step.id] = outcome(answer)
                continue
            }
            guard !answer.isSuccess else { throw .mismatch("a change set has a single answer that is not an error") }
            fail(group, with: answer, culprit: id)
        }
        guard parts.count < plan.groups.count else { return }
        try skipRest(after: parts.count)
    }

    /// Marks the remaining requests as not done: some services stop answering after an error.
    private mutating func skipRest(after count: Int) throws(BatchFailure) {
        guard count > 0, plan.groups[count - 1].steps.contains(where: { outcomes[$0.id]?.isFailure ?? false }) else {
            throw .mismatch("it has fewer parts than the batch")
        }
        for step in plan.groups[count...].flatMap(\.steps) { outcomes[step.id] = .failure(notDone(nil)) }
    }

    private mutating func read(
        changes part: MultipartReader.Part, _ boundary: String, _ group: BatchPlan.Group
    ) throws(BatchFailure) {
        let parts = try formatted { () throws(FormatFailure) in
            try MultipartReader.parts(part.body, boundary: boundary)
        }
        // Some services report a failure inside of the change set.
        if parts.count == 1, group.steps.count > 1 {
            let (answer, id) = try message(parts[0])
            if !answer.isSuccess { return fail(group, with: answer, culprit: id) }
        }
        guard parts.count == group.steps.count else {
            throw .mismatch("a change set has \(parts.count) answers to \(group.steps.count) requests")
        }
        let steps = group.steps.byID
        var byOrder: [ServiceAnswer] = []
        for part in parts {
            let (answer, id) = try message(part)
            guard let id else {
                byOrder.append(answer)
                continue
            }
            guard let step = steps[id], outcomes[step.id] == nil else {
                throw .mismatch("an answer has the id of no request, or one twice")
            }
            outcomes[step.id] = outcome(answer)
        }
        guard byOrder.isEmpty || byOrder.count == group.steps.count else {
            throw .mismatch("some answers have ids and others have none")
        }
        for (step, answer) in zip(group.steps, byOrder) { outcomes[step.id] = outcome(answer) }
    }

    private func message(_ part: MultipartReader.Part) throws(BatchFailure) -> (ServiceAnswer, id: String?) {
        guard part.fields["content-type"]?.lowercased().hasPrefix("application/http") == true else {
            throw .format(FormatFailure("a part of it is not an HTTP message"))
        }
        let (status, inner) = try formatted { () throws(FormatFailure) in try MultipartReader.message(part.body) }
        var fields = HTTPFields()
        for (name, value) in inner.fields {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let answer = self.answer(status, fields, Array(inner.body))
        return (answer, part.fields["content-id"] ?? inner.fields["content-id"])
    }

    // MARK: JSON

    private mutating func read(json bytes: [UInt8]) throws(BatchFailure) {
        let document = try formatted { () throws(FormatFailure) in
            try JSONDocument(bytes, limits: client.configuration.limits.json)
        }
        guard let responses = document.root["responses"], responses.kind == .array else {
            throw .format(FormatFailure("it has no responses"))
        }
        let steps = plan.steps.byID
        for response in responses.elements {
            guard let id = response["id"]?.scalar, let status = response["status"]?.integer,
                (100...599).contains(status)
            else { throw .format(FormatFailure("a response has no id or no status")) }
            guard let step = steps[id], outcomes[step.id] == nil else {
                throw .mismatch("an answer has the id of no request, or one twice")
            }
            var fields = HTTPFields()
            let members = try formatted { () throws(FormatFailure) in try response["headers"]?.members() ?? [] }
            for (name, value) in members {
                if let name = HTTPField.Name(name), let text = value.scalar { fields[name] = text }
            }
            let body = response["body"].map { $0.isNull ? [] : Array($0.source) } ?? []
            outcomes[step.id] = outcome(answer(Int(status), fields, body))
        }
        let missing = plan.steps.filter { outcomes[$0.id] == nil }
        guard missing.isEmpty || outcomes.values.contains(where: \.isFailure) else {
            throw .mismatch("it has fewer answers than the batch has requests")
        }
        for step in missing { outcomes[step.id] = .failure(notDone(nil)) }
        // A change set is done as a whole or not at all, so single answers must agree.
        for group in plan.groups where group.isChangeSet {
            guard group.steps.contains(where: { outcomes[$0.id]?.isFailure ?? false }) else { continue }
            for step in group.steps where outcomes[step.id]?.isFailure == false {
                throw .mismatch("a part of a change set succeeded and another one failed")
            }
        }
    }

    // MARK: Outcomes

    /// The answer to one request. It may repeat what was sent for the whole batch.
    private func answer(_ status: Int, _ fields: HTTPFields, _ bytes: [UInt8]) -> ServiceAnswer {
        ServiceAnswer(status: status, fields: fields, bytes: bytes, url: whole.url, sent: whole.sent)
    }

    private func outcome(_ answer: ServiceAnswer) -> Result<ServiceAnswer, ODataError> {
        // 424: a request that it depends on failed (OData JSON 4.01 §19.1).
        if answer.status == 424 { return .failure(notDone(client.refusal(answer))) }
        return answer.isSuccess ? .success(answer) : .failure(client.refusal(answer))
    }

    private mutating func fail(_ group: BatchPlan.Group, with answer: ServiceAnswer, culprit: String?) {
        let error = client.refusal(answer)
        let isKnown = group.steps.contains { "\($0.id)" == culprit }
        for step in group.steps {
            // If the service does not name the failed request of several, none of them gets the error itself.
            let isCulprit = "\(step.id)" == culprit || (!isKnown && group.steps.count == 1)
            outcomes[step.id] = .failure(isCulprit ? error : notDone(error))
        }
    }

    private func notDone(_ error: ODataError?) -> ODataError {
        ODataError(
            .notDone, "The request of the batch was not done, because another one failed.", status: error?.status,
            serverError: error?.serverError, underlyingError: error)
    }

    private func formatted<Value>(_ read: () throws(FormatFailure) -> Value) throws(BatchFailure) -> Value {
        do throws(FormatFailure) { return try read() } catch { throw .format(error) }
    }
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}

extension [BatchPlan.Step] {
    /// The requests by their ids.
    fileprivate var byID: [String: BatchPlan.Step] {
        Dictionary(map { ("\($0.id)", $0) }) { first, _ in first }
    }
}
