import HTTPTypes
import HttpConversation

extension ODataStore {
    /// Sends a batch.
    ///
    /// - Returns: the outcome of each request; the batch succeeds even if a request fails
    /// - Throws: ``ODataError/Code/batchMismatch`` if the answers do not match the requests
    public func send(_ batch: ODataBatch) async throws(ODataError) -> ODataBatchResults {
        let plan = try BatchPlan(batch, client, model)
        var fields: HTTPFields = [:]
        if batch.continuesAfterErrors, version == .v4 { fields[.prefer] = "odata.continue-on-error" }
        let body: RequestBody
        if version == .v4, client.configuration.usesJSONBatches {
            body = .bytes(JSONBatchWriter.bytes(plan))
            fields[.contentType] = "application/json"
            fields[.accept] = "application/json"
        } else {
            var writer = MultipartBatchWriter(version)
            writer.write(plan)
            body = .bytes(writer.bytes)
            fields[.contentType] = writer.contentType
            fields[.accept] = "multipart/mixed"
        }
        let answer = try await client.answer(
            .post, client.root.target("$batch"), fields, body: body, limit: client.configuration.limits.batchBytes)
        let answers = try BatchAnswers(plan, client, answer)
        let requests = plan.steps.map { ($0.id, $0.request) }
        let targets = plan.steps.map { ($0.id, $0.target) }
        return ODataBatchResults(
            client: client, model: model, requests: Dictionary(requests) { $1 }, targets: Dictionary(targets) { $1 },
            outcomes: answers.outcomes)
    }
}
