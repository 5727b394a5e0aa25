import HttpConvAuthFlows
import HttpConversation
import MobileServices

/// The logins of a person, and the fields that the registered server needs with every request.
struct PersonConfigurator: ManagerConfigurator {
    let person: LogonPerson
    let id = ConfiguratorID()
    private let own: CommonAuthenticationConfigurator
    private let applications: CommonAuthenticationConfigurator

    /// - Parameter login: the application's logins, used where the registration has no answer
    init(person: LogonPerson, login: CommonAuthenticationConfigurator) {
        self.person = person
        var own = CommonAuthenticationConfigurator(session: person.session)
        own.add(PersonPassword(person: person))
        own.add(clientCertificate: PersonCertificate(person: person))
        own.add(saml2: PersonWebLogins(person: person))
        own.add(otp: PersonWebLogins(person: person))
        own.add(oauth2: PersonOAuth2(person: person))
        own.tokenStorage = person.tokens
        own.oauth2Settings = login.oauth2Settings
        own.webStrategies = login.webStrategies
        own.customURLSchemes = login.customURLSchemes
        own.externalURLOpener = login.externalURLOpener
        self.own = own
        var applications = login
        applications.session = person.session
        self.applications = applications
    }

    func configure(_ configuration: inout HttpConversationManager.Configuration) {
        configuration.apply(own)
        configuration.apply(applications)
        configuration.apply(MobileServicesConfigurator { [person] in person.profile?.application })
        configuration.add(ServerFieldsFilter(person: person), id: "LogonServerFields", of: id)
    }
}
