import HTTPTypes

/// One exchange of the running attempt: what was sent, under which stamp, and what came back.
struct Exchange {
    /// The request as it goes to the transport, credentials and cookies included.
    var request: ConversationRequest
    /// The credential it carries and for whom.
    var sent: SentCredential?
    /// Why it is sent again, for a repetition.
    var reason: String?
    /// The session's epoch when it was sent.
    var epoch: UInt64 = 0
    /// The session's epoch when its cookies were chosen.
    var cookieEpoch: UInt64 = 0
    /// The response, once its head is there.
    var response: TransportResponse?

    /// The readable challenges of the response, strongest first.
    var offered: [OfferedChallenge] = []

    var head: HTTPResponse? { response?.head }
}

/// A credential on the wire.
struct SentCredential {
    let space: ProtectionSpace
    let credential: any Credential
    let persistence: CredentialPersistence
    /// The URL that was challenged; nil for a credential that was sent ahead.
    var challenged: TargetURL?

    /// Whether an exchange may carry it: the one that was challenged, and what its space covers, where it may go there.
    func isMeant(for destination: CredentialDestination) -> Bool {
        let target = destination.target
        return space.origin == target.origin && (challenged == target || credential.covers(target))
            && credential.mayGo(to: destination)
    }
}
