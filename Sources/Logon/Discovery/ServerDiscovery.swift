/// Finds out which server a person's organisation has, by the address of their mail.
///
/// What is found is a proposal for the registration screen: a person looks at it before anything is sent there.
public protocol ServerDiscovery: Sendable {
    /// What an organisation says about its server for an application.
    ///
    /// - Parameters:
    ///   - address: an address of mail, such as `alice@example.com`
    ///   - options: what is usual: what the organisation does not say stays as it is there
    ///   - applicationID: the application's id at a mobile server
    /// - Returns: nil where the organisation says nothing
    /// - Throws: ``LogonError/Code/invalidParameter`` for what is no address; ``LogonError/Code/invalidServerHost``,
    ///   ``LogonError/Code/communicationManagerError`` and ``LogonError/Code/operationCancelled``
    func server(
        for address: String, _ options: LogonOptions, applicationID: String
    ) async throws(LogonError) -> DiscoveredServer?
}
