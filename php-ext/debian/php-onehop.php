mod modules/onehop.so
mod onehop.ini
