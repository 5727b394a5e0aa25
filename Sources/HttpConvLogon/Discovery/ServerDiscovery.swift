/// Finds the server of a person's organisation by their e-mail address.
///
/// The result is a proposal for the registration screen: a person looks at it before anything is sent to that server.
public protocol ServerDiscovery: Sendable {
    /// Returns an organisation's proposal for an application.
    ///
    /// - Parameters:
    ///   - address: an e-mail address, such as `alice@example.com`
    ///   - options: defaults for values that the organisation does not give
    ///   - applicationID: the application's id at a mobile server
    /// - Returns: nil if the organisation has no proposal
    /// - Throws: ``LogonError/Code/invalidParameter`` for an invalid address; ``LogonError/Code/invalidServerHost``,
    ///   ``LogonError/Code/communicationManagerError`` and ``LogonError/Code/operationCancelled``
    func server(
        for address: String, _ options: LogonOptions, applicationID: String
    ) async throws(LogonError) -> DiscoveredServer?
}
