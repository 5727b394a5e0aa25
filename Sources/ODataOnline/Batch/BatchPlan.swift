import HTTPTypes
import HttpConvFormats
import HttpConversation

/// The requests of a batch as they are sent.
struct BatchPlan: Sendable {
    struct Step: Sendable {
        let id: Int
        let request: ServiceRequest
        let target: TargetURL
        /// The address relative to the root of the service, percent-encoded.
        let address: String
        /// The ids of the requests that it refers to.
        let references: [Int]
    }

    struct Group: Sendable {
        let isChangeSet: Bool
        let steps: [Step]
    }

    let groups: [Group]
    var steps: [Step] { groups.flatMap(\.steps) }

    init(_ batch: ODataBatch, _ client: ServiceClient, _ model: ODataModel?) throws(ODataError) {
        var maker = RequestMaker(client: client, model: model)
        var groups: [Group] = []
        for group in batch.groups {
            var steps: [Step] = []
            for request in group.requests {
                let references = request.path.segments.compactMap { segment in
                    if case .reference(let name) = segment {
                        PeerNumber.integer(name, in: 0...Int.max)
                    } else {
                        nil as Int?
                    }
                }
                // A reference must name an earlier request of the same change set.
                guard references.allSatisfy({ id in steps.contains { $0.id == id } }) else {
                    throw ODataError(
                        .invalidRequest,
                        "A request of the change set refers to an entity that no earlier request of it creates: create it first."
                    )
                }
                let made = try request.make(maker)
                maker.references["\(request.part.id)"] = made.type
                let target = try client.target(ODataQuery(made.path), adding: made.query)
                steps.append(
                    Step(
                        id: request.part.id, request: made, target: target,
                        address: String(target.requestTarget.dropFirst(client.root.url.path.count)),
                        references: references))
            }
            groups.append(Group(isChangeSet: group.isChangeSet, steps: steps))
        }
        guard !groups.isEmpty else {
            throw ODataError(.invalidRequest, "The batch is empty: there is nothing to send.")
        }
        self.groups = groups
    }
}
