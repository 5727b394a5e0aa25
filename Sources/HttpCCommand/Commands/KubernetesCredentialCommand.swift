import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvPlatform

/// `httpc credential kubernetes`: a credential plugin of kubectl.
struct KubernetesCredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kubernetes", abstract: "Answers kubectl as its credential plugin.",
        discussion: """
            kubectl config set-credentials me --exec-command=httpc --exec-api-version=client.authentication.k8s.io/v1beta1 \
            --exec-arg=credential --exec-arg=kubernetes --exec-arg=https://cluster.example.com:6443

            It gives the access token of the profile, or the ID token with id-token = true in its oauth2 table, and the \
            client certificate of its cert table.
            """)

    @Argument(help: "The cluster's server, as in kubectl's configuration; --profile does as well.")
    var url: String?
    @OptionGroup var options: ProfileSettings

    func run() async throws {
        try SecretOutput.requireNoTerminal("The answer to kubectl")
        let named = url
        try await options.lend { lender in
            let request = try KubernetesCredentialRequest(
                ProcessInfo.processInfo.environment["KUBERNETES_EXEC_INFO"])
            let place = try lender.place(named: named.map { try HelperTarget.urls($0) }, asked: request.servers)
            let credential = try await lender.kubernetesCredential(for: place, asked: request)
            try StandardOutput.print(request.answer(credential))
            return true
        }
    }
}
