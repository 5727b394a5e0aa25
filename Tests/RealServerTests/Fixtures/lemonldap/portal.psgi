# LemonLDAP::NG's portal, which gives OpenID providers and CAS servers their login.
use Lemonldap::NG::Portal::Main;
Lemonldap::NG::Portal::Main->run({});
