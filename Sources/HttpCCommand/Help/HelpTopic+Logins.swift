extension HelpTopic {
    static let loginsText = """
        LOGINS
          Redirects are followed, cookies go along, and where a server wants a login,
          httpc answers and repeats the request. The body goes to standard output,
          everything else to standard error. Nothing secret is ever printed, not even
          an argument that is wrong, and none of your headers, cookies or passwords
          goes to a server that you did not mean.

          -u NAME             Basic and Digest, at the server of the URL; asks for the
                              password. Where it is not accepted, the answer is the
                              server's page: 0, or 22 with -f, as with curl.
          -n                  the same out of ~/.netrc (--netrc-file), which nobody else
                              may be able to read: each login for its own host, over
                              https, or over http at the server of the URL. After -u
                              and the URL's own login, before profiles.
          --cert FILE         a client certificate, where the server asks for one
          a profile           binds a login to URLs: Basic, certificates, OAuth2,
                              SAML2, one-time codes (httpc help profiles). Without
                              --profile the longest match applies. Its password goes to
                              what it matches and nowhere else. Where its login cannot
                              be had, nothing is printed, and httpc ends with 67.
          neither             a 401 is an answer like any other: its page, a line about
                              it, and 0, or 22 with -f. Where an answer is certainly a
                              login page, httpc asks you at a terminal whether to log
                              in there. Else it ends with 67 and the lines that a
                              profile needs; --accept-login-page prints the page.

          A profile keeps its cookies and tokens between calls (httpc login, logout,
          tokens, cookies). Without a profile only -c keeps cookies. The session at
          an identity provider is kept apart from them, for login pages there alone:
          the next login asks nothing, in the terminal as in Chromium, and profiles
          with the same sso share it. httpc logout forgets it.

          Login pages are shown in a window of Chromium where there is a display, else
          as questions in the terminal (--web); those of OAuth2 in your own browser.
          Where nobody attends, no window is opened, and answers fill their fields:
          --answer-env password=PW, --answer-totp code=SECRET. They go to the origins
          that the profile names, and to --answer-origin (answer-origins).

          What a logon has is in a vault that a passcode locks. Unlocked, it is open for
          every httpc, until none has used it for the time that the server's policy
          says (a day at most), or until httpc lock: its key is in the kernel's memory,
          never in a file. Where the kernel has no place for it, as in some containers,
          each httpc asks; where nobody is there to be asked, a locked vault ends it
          with 67.
        """
}
