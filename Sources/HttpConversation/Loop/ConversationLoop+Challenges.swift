import HTTPTypes
import Logging

extension ConversationLoop {
    /// Reads all challenges of a 401, or of a proxy's 407, strongest first. Several fields are equivalent to several
    /// challenges in one.
    func readChallenges(
        _ response: TransportResponse, _ status: HTTPResponse.Status, _ exchange: Exchange
    ) -> [OfferedChallenge] {
        let head = response.head
        let proxy = exchange.isProxyChallenge(response, status) ? exchange.proxy : nil
        guard status == 401 || proxy != nil else { return [] }
        let field = proxy == nil ? HTTPField.Name.wwwAuthenticate : .proxyAuthenticate
        var offered: [OfferedChallenge] = []
        for value in head.headerFields[values: field] where offered.count < Self.maximumChallenges {
            let (challenges, isComplete) = ChallengeParser.parse(value)
            if !isComplete { context.logger.notice("a challenge could not be read to its end") }
            offered += challenges.prefix(Self.maximumChallenges - offered.count)
        }
        // Remember Digest even if no filter answers it: another manager of the session may.
        if offered.contains(where: { $0.method == .digest }) {
            let session = proxy == nil ? context.session : context.session.forProxies
            session.credentials.digestOrigins.insert(proxy?.server.origin ?? exchange.target.origin)
        }
        return ChallengeStrength(configuration.challengeFilters.elements).strongestFirst(offered)
    }

    /// The maximum number of challenges of a response that are handled. Filters are asked about each of them (security
    /// rule S24).
    private static let maximumChallenges = 64

    func hasAnswerableChallenge(_ answered: AnsweredExchange) -> Bool {
        answered.offered.contains { !filters(for: $0, answered).isEmpty }
    }

    func filters(
        for offered: OfferedChallenge, _ answered: AnsweredExchange
    ) -> [FilterList<any ChallengeFilter>.Entry] {
        let isProxy = answered.isProxyChallenge
        return configuration.challengeFilters.entries.filter {
            $0.element.handles.contains(offered.method) && $0.element.isForProxies == isProxy
        }
    }

    /// The protection space of a challenge, for comparisons only: its realm may repeat secrets of the request.
    func space(of offered: OfferedChallenge, _ answered: AnsweredExchange) -> ProtectionSpace {
        space(of: offered, answered, hiddenRealm: nil)
    }

    /// The protection spaces of some challenges of a response, with realms that may be shown. All at once, because the
    /// work for a response is limited (security rule S24).
    func shownSpaces(of offered: [OfferedChallenge], _ answered: AnsweredExchange) -> [ProtectionSpace] {
        let realms = offered.map { $0.realm ?? "" }
        let sent = answered.response.sent ?? SentFields(answered.exchange, after: context.sentFields)
        return zip(offered, zip(realms, sent.hidden(in: realms))).map { offered, realm in
            space(of: offered, answered, hiddenRealm: realm.0 == realm.1 ? nil : realm.1)
        }
    }

    private func space(
        of offered: OfferedChallenge, _ answered: AnsweredExchange, hiddenRealm: String?
    ) -> ProtectionSpace {
        let proxy = answered.isProxyChallenge ? answered.exchange.proxy : nil
        return ProtectionSpace(
            origin: proxy?.server.origin ?? answered.target.origin, method: offered.method,
            realm: offered.realm ?? "", isProxy: proxy != nil, hiddenRealm: hiddenRealm,
            hiddenOrigin: proxy == nil && answered.target.hidesOrigin ? answered.target.shownOrigin : nil)
    }

    /// All challenges of a response.
    func offeredChallenges(_ answered: AnsweredExchange) -> [AuthenticationChallenge] {
        zip(answered.offered, shownSpaces(of: answered.offered, answered)).map { challenge($0, of: $1, answered) }
    }

    /// The strongest challenge of a response; nil if there is none.
    func firstChallenge(_ answered: AnsweredExchange) -> AuthenticationChallenge? {
        guard let first = answered.offered.first, let space = shownSpaces(of: [first], answered).first else {
            return nil
        }
        return challenge(first, of: space, answered)
    }

    func challenge(
        _ offered: OfferedChallenge, of space: ProtectionSpace, _ answered: AnsweredExchange
    ) -> AuthenticationChallenge {
        let proxy = space.isProxy ? answered.exchange.proxy : nil
        return AuthenticationChallenge(
            space: space, offered: offered, target: answered.target, response: answered.head, context: context,
            sent: answered.sent(in: space)?.credential, previousFailureCount: challenges.failureCount(in: space),
            sentUnder: proxy?.epoch ?? answered.exchange.epoch, refused: challenges.refused(in: space),
            proxy: proxy?.server, serverEndPoint: proxy == nil ? answered.response.connection?.serverEndPoint : nil)
    }
}
