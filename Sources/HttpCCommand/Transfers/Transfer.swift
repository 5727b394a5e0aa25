import HttpC

/// One URL of the command line: what is sent there, as whom, and where the answer goes.
struct Transfer: Sendable {
    /// Its place among the URLs, from 0.
    let index: Int
    /// As it was typed.
    let url: TargetURL
    let request: HTTPRequest
    let body: RequestBody?
    let destination: TransferDestination
    let group: TransferGroup
}
