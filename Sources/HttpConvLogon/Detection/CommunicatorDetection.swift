import HTTPTypes
public import HttpConversation

/// Finds the kind of server at an address, without a login. The rules are in <doc:Detection>.
public struct CommunicatorDetection: Sendable {
    /// Provides transport and observers; its filters and its session are not used.
    public let manager: HttpConversationManager
    /// The values that a person entered, or that the application was given.
    public let options: LogonOptions
    /// The application's id at a mobile server.
    public let applicationID: String
    /// The time limit of each probe.
    public var probeTimeout: Duration = .seconds(10)

    /// A detection for an address.
    public init(_ manager: HttpConversationManager, _ options: LogonOptions, applicationID: String) {
        self.manager = manager
        self.options = options
        self.applicationID = applicationID
    }

    /// Returns the server at the address.
    ///
    /// - Throws: ``LogonError/Code/couldNotDecideCommunicator`` with a ``NoCommunicator`` if nothing fits;
    ///   ``LogonError/Code/invalidServerHost``, ``LogonError/Code/invalidParameter``,
    ///   ``LogonError/Code/operationCancelled``
    public func detect() async throws(LogonError) -> DetectedCommunicator {
        let probes = try CommunicatorProbe.all(options, applicationID: applicationID)
        guard options.usesFlowMode else { return probes.assumed }
        var reports: [ProbeReport] = []
        for probe in probes.inOrder {
            let report = try await run(probe)
            guard let report else { return DetectedCommunicator(communicator: probe.communicator, root: probe.root) }
            reports.append(report)
        }
        let seen = reports.map(\.description).joined(separator: "; ")
        throw LogonError(
            .couldNotDecideCommunicator,
            "There is no server to register with: \(seen). Check address, port, farm and path.",
            underlyingError: NoCommunicator(reports: reports))
    }

    /// Runs a probe; returns nil if the answer fits.
    private func run(_ probe: CommunicatorProbe) async throws(LogonError) -> ProbeReport? {
        let context = manager.detachedContext(for: probe.target)
        let timeout = probeTimeout
        do throws(ConversationError) {
            let response = try await context.start(HTTPRequest(.get, probe.target, fields: probe.fields)) { child in
                // A redirect to a login is itself an answer; its destination does not concern the probe.
                child.redirects.follows = false
                child.networkTimeout = timeout
                // The head decides; do not wait for the body.
                child.peekTimeout = min(timeout, .seconds(1))
                child.responseFilters.add(HeadOnly())
            }
            let evidence = CommunicatorEvidence(response.head)
            guard !evidence.fits(probe.communicator) else { return nil }
            return probe.report(status: evidence.status, evidence.text)
        } catch {
            if error.code == .cancelled { throw .cancelled }
            return probe.report(status: nil, "no answer (\(error.code))", failure: error.code)
        }
    }
}
